"""Files and directories, found without following a link and looked at before anything is done with them."""
