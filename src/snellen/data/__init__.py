"""Reading from disk and from the hub: tables of samples, folders of data sets, downloads, `.env` files."""
