@none must be @ and a file that can be read.
