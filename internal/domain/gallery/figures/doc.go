// Package figures holds the statistics that owners see of their projects: plays, players, likes and lengths of play, by
// day and by version, and the hosts that lead players to a project.
//
// Package gallery counts, and writes its counts in batches; this package defines the counts, in a form that is small
// and can be added up over several nodes: [Sketch] counts players without knowing who they are, [Lengths] gives the
// median length of play, [Source] returns the host that a player came from. [Service] returns the figures to callers
// who may read them.
//
// No player can be recognized beyond a day: players are distinguished by hashes with a salt of the day, only their
// sketch is stored, and once the day is over Sweep leaves nothing of it but a number.
// leaves nothing of that but a number once the day is over.
package figures
