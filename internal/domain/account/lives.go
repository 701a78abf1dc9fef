package account

// The longest that each kind of record lives. A record that seems to end later got its time
// from a wrong clock.
const (
	VerificationLifeMax = verificationLife
	LoginLifeMax        = loginLife
	MoveLifeMax         = undoLife
	PauseMax            = loginPause
)
