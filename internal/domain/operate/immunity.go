package operate

import "time"

// Immunity is the time in which reports do not hold a project again after a person has reinstated it.
const Immunity = 30 * 24 * time.Hour
