"""Work for a process of its own, of which some is never done; a module that takes no time to import."""

import os
import time

from cxg_widget.errors import DatasetNotFound


def end(tell, number):
    tell("the first part")
    tell("the second part")
    os.kill(os.getpid(), number)


def leave(tell):
    os._exit(3)


def hang(tell):
    tell("a circle")
    while True:
        time.sleep(1)


def chatter(tell):
    os.write(1, b"what a library prints")
    print("and what Python prints")
    return "words", 7


def refuse(tell):
    raise DatasetNotFound("nothing there")


def hang_in(tell, opener, path, format_, options):
    hang(tell)
