"""apsp_scipy.py GRAPH DISTANCES: whether SciPy's Dijkstra finds the same distances in a binary graph file."""
import sys

import numpy
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

UNREACHABLE = 1073741823

head = numpy.fromfile(sys.argv[1], "<i4", 2)
edges = numpy.fromfile(sys.argv[1], "<i4", offset=8).reshape(head[1], 3)
# Weights of 0 would be taken for no edge: every edge weighs one unit of a scale more, which its path's length takes off
# again where that is exact.
scale = int(head[0]) + 1
graph = csr_matrix((edges[:, 2] * float(scale) + 1, (edges[:, 0], edges[:, 1])), shape=(head[0], head[0]))
lengths = dijkstra(graph)
lengths[numpy.isinf(lengths)] = UNREACHABLE * scale
expected = (lengths // scale).astype("<i4").tobytes()
sys.exit(open(sys.argv[2], "rb").read() != expected)
