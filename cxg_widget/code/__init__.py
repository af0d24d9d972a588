"""An analysis as code and as text: what was done in a widget, written so that it can be run or read again."""
