"""Work in other processes: `--devices`, solvers, drawing, comparing and Ray all use `Workers` (pool.py).

A worker calls one function (calls.py). It is an interpreter of our own (processes.py) or an actor on a cluster (engine/ray_pool.py).
"""
