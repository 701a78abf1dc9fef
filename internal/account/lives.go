package account

// The longest for which a record is kept that ends by itself. One that seems to end
// later got its time from a wrong clock.
const (
	VerificationLifeMax = verificationLife
	LoginLifeMax        = loginLife
	MoveLifeMax         = undoLife
	PauseMax            = loginPause
)
