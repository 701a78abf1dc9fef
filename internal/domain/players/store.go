package players

// A Store keeps players, saves and shared values, under the same promises as a publish.Store.
type Store interface{}

// A Known player is one of whom something is kept.
type Known struct {
	ID, Name string
	Refused  bool  // by the owner: it has no name, and no place on a board
	Day      int64 // on which it was last seen, as figures.DayOf counts
	Held     int64 // bytes of its saves
	Saves    int64
}
