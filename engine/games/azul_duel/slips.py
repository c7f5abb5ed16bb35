def problems(a,b): return ()
