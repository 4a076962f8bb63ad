// Nothing: a target that compiles headers needs a file.
