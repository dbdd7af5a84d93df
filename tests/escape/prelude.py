# Shared by the Python attacks. A script prints REACHED when the system granted its request.
import ctypes, errno, os, platform, signal, socket, struct, sys, time

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
ARM = platform.machine() == "aarch64"


def call(number, *args):
    """A system call; `number` is a pair for x64 and arm64 where they differ."""
    chosen = number[1 if ARM else 0] if isinstance(number, tuple) else number
    passed = [ctypes.c_long(each) if isinstance(each, int) else each for each in args]
    result = libc.syscall(ctypes.c_long(chosen), *passed)
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def reached(what=""):
    print("REACHED", what, flush=True)


def attempt(action, what=""):
    try:
        result = action()
        reached(what or result)
    except OSError as error:
        print("refused:", errno.errorcode.get(error.errno, error), flush=True)


def fact(name):
    return os.environ[name]


print("the attack begins", flush=True)
