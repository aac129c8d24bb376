"""One module per stage, named as the stage; no stage imports another."""
