"""Operations, their parameters and bodies, as a description defines them."""
