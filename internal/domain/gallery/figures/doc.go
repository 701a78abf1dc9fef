// Package figures is what owners learn of their projects over time: plays, players, likes and how long people play, by day and by version,
// and the hosts that lead players to a project.
//
// Package gallery counts, and writes what it counted in batches; this package has what is counted, in a form that takes little room and
// can be added up from several nodes: [Sketch] tells how many players there were without knowing who, [Lengths] what the median of play
// lengths is, [Source] which host a player came from. [Service] tells the figures to whom they concern.
//
// Nobody is known beyond a day: players are told apart by hashes that are made with a salt of the day, only their sketch is kept, and Sweep
// leaves nothing of that but a number once the day is over.
package figures
