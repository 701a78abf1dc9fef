pck
