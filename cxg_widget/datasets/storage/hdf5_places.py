"""Finds the ranges of a file that an HDF5 node refers to, for prefetching.

HDF5 follows references one by one, and in remote storage each costs a round trip. This module parses only references
whose prefetch saves round trips. A node of an unknown kind has none.
Source: HDF5 File Format Specification 3.0, "Version 1 B-trees" and "Group Symbol Table Nodes"; addresses of 8 bytes.
"""

from __future__ import annotations

import struct

_UNDEFINED = 2**64 - 1
_TREE_HEADER, _ADDRESS = 24, 8
_MOST_CHILDREN = 64
"""Maximum number of children of a chunk index node, by HDF5's default."""
_SYMBOL, _SYMBOL_HEADER = 40, 8
_IS_GROUP = 1


def places_in(node: bytes) -> list[tuple[int, int]]:
    """Return the ranges that a node refers to; a range is empty if only its start is known."""
    if node[:4] == b"TREE" and len(node) >= _TREE_HEADER:
        return _of_chunks(node) if node[4] == 1 else _of_group(node)
    return _of_symbols(node) if node[:4] == b"SNOD" else []


def _of_chunks(node: bytes) -> list[tuple[int, int]]:
    """Return the ranges of the children of a chunk index node; all nodes of a tree have the same size."""
    level, n = node[5], int.from_bytes(node[6:8], "little")
    room = len(node) - _TREE_HEADER - _MOST_CHILDREN * _ADDRESS
    key, rest = divmod(room, _MOST_CHILDREN + 1)
    if level == 0 or rest or key < _ADDRESS or n > _MOST_CHILDREN:
        return []
    places = [_TREE_HEADER + key + number * (key + _ADDRESS) for number in range(n)]
    addresses = [int.from_bytes(node[place : place + _ADDRESS], "little") for place in places]
    return [(address, address + len(node)) for address in addresses if address != _UNDEFINED]


def _of_group(node: bytes) -> list[tuple[int, int]]:
    """Return the starts of the symbol table nodes of a group."""
    n = int.from_bytes(node[6:8], "little")
    places = [_TREE_HEADER + _ADDRESS + number * 2 * _ADDRESS for number in range(n)]
    whole = [node[place : place + _ADDRESS] for place in places if place + _ADDRESS <= len(node)]
    return [(address, address) for address in (int.from_bytes(one, "little") for one in whole)]


def _of_symbols(node: bytes) -> list[tuple[int, int]]:
    """Return the starts of the members of a group; for groups among them, also of their tree and their names."""
    n = int.from_bytes(node[6:8], "little")
    found = []
    for place in range(_SYMBOL_HEADER, min(_SYMBOL_HEADER + n * _SYMBOL, len(node) - _SYMBOL + 1), _SYMBOL):
        _, header, kind, _, tree, heap = struct.unpack_from("<QQIIQQ", node, place)
        found += [header, tree, heap] if kind == _IS_GROUP else [header]
    return [(address, address) for address in found if address != _UNDEFINED]
