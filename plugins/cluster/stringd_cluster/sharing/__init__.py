"""Events, questions and operators of one node, shown and answered at all of them."""
