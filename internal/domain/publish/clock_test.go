package publish_test

import (
	"time"
)

// year is by how much these tests set the clock.
const year = 365 * 24 * time.Hour
