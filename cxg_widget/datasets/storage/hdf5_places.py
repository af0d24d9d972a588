"""Where the nodes of an HDF5 file refer to: HDF5 follows them one by one, and each is a journey to storage far away.

Only what saves journeys is read here, from nodes that HDF5 has asked for; what looks otherwise refers to nothing.
Source: HDF5 File Format Specification 3.0, "Version 1 B-trees" and "Group Symbol Table Nodes"; addresses of 8 bytes.
"""

from __future__ import annotations

import struct

_UNDEFINED = 2**64 - 1
_TREE_HEADER, _ADDRESS = 24, 8
_MOST_CHILDREN = 64
"""Of a node of chunks, as HDF5 writes them unless told otherwise."""
_SYMBOL, _SYMBOL_HEADER = 40, 8
_IS_GROUP = 1


def places_in(node: bytes) -> list[tuple[int, int]]:
    """Return the ranges that a node refers to; an empty range where only its beginning is known."""
    if node[:4] == b"TREE" and len(node) >= _TREE_HEADER:
        return _of_chunks(node) if node[4] == 1 else _of_group(node)
    return _of_symbols(node) if node[:4] == b"SNOD" else []


def _of_chunks(node: bytes) -> list[tuple[int, int]]:
    """Return the nodes below a node of the index of chunks; all nodes of a tree have one size."""
    level, n = node[5], int.from_bytes(node[6:8], "little")
    room = len(node) - _TREE_HEADER - _MOST_CHILDREN * _ADDRESS
    key, rest = divmod(room, _MOST_CHILDREN + 1)
    if level == 0 or rest or key < _ADDRESS or n > _MOST_CHILDREN:
        return []
    places = [_TREE_HEADER + key + number * (key + _ADDRESS) for number in range(n)]
    addresses = [int.from_bytes(node[place : place + _ADDRESS], "little") for place in places]
    return [(address, address + len(node)) for address in addresses if address != _UNDEFINED]


def _of_group(node: bytes) -> list[tuple[int, int]]:
    """Return where the nodes of symbols of a group begin."""
    n = int.from_bytes(node[6:8], "little")
    places = [_TREE_HEADER + _ADDRESS + number * 2 * _ADDRESS for number in range(n)]
    whole = [node[place : place + _ADDRESS] for place in places if place + _ADDRESS <= len(node)]
    return [(address, address) for address in (int.from_bytes(one, "little") for one in whole)]


def _of_symbols(node: bytes) -> list[tuple[int, int]]:
    """Return where the members of a group begin, and of those that are groups their tree and their names."""
    n = int.from_bytes(node[6:8], "little")
    found = []
    for place in range(_SYMBOL_HEADER, min(_SYMBOL_HEADER + n * _SYMBOL, len(node) - _SYMBOL + 1), _SYMBOL):
        _, header, kind, _, tree, heap = struct.unpack_from("<QQIIQQ", node, place)
        found += [header, tree, heap] if kind == _IS_GROUP else [header]
    return [(address, address) for address in found if address != _UNDEFINED]
