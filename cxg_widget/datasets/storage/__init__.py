"""Access to objects in remote storage by obstore, with the error messages of all remote stores."""
