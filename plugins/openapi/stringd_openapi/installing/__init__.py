"""Make apps of descriptions: the kind of source that `/install` knows them by."""
