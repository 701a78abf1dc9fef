package publish

// The longest for which a record is kept that ends by itself. One that seems to end
// later got its time from a wrong clock.
const (
	UploadLifeMax      = uploadLife
	IdempotencyLifeMax = idempotencyLife
)
