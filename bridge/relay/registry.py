"""Values in the registry of Windows, of this user alone; elsewhere there are none."""

import sys


def read_value(key: str) -> str | None:
    """The default value of a key; None if there is none."""
    if sys.platform != "win32":
        return None
    import winreg

    try:
        return winreg.QueryValue(winreg.HKEY_CURRENT_USER, key) or None
    except OSError:
        return None


def write_value(key: str, value: str) -> None:
    """Set it, whatever it was."""
    if sys.platform != "win32":
        raise OSError("there is no registry here")
    import winreg

    winreg.SetValue(winreg.HKEY_CURRENT_USER, key, winreg.REG_SZ, value)


def delete_value(key: str) -> None:
    """Remove the key; it holds nothing else."""
    if sys.platform != "win32":
        raise OSError("there is no registry here")
    import winreg

    winreg.DeleteKey(winreg.HKEY_CURRENT_USER, key)
