package admission

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// Rate is a limit: Count in each Per on average, and Burst at once. The zero Rate is no limit.
type Rate struct {
	Count int64
	Per   time.Duration
	Burst int64
}

var periods = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}

// errRate is the error for every text that is not a rate.
var errRate = errors.New("a rate is COUNT/PERIOD:BURST with a period of s, m, h or d, such as 60/h:20; or off")

// ParseRate reads a rate as the settings have it: "60/h:20", or "off".
func ParseRate(text string) (Rate, error) {
	return ParseRateOf(text, func(number string) (int64, error) { return strconv.ParseInt(number, 10, 64) })
}

// mostOfRate bounds the numbers of a rate, so that their multiples (a larger network has sixteen times as much) never
// overflow an int64.
const mostOfRate = 1 << 50

// ParseRateOf is ParseRate for a rate whose numbers are read by number, such as sizes with units.
func ParseRateOf(text string, number func(string) (int64, error)) (Rate, error) {
	if text == "off" {
		return Rate{}, nil
	}
	count, rest, _ := strings.Cut(text, "/")
	period, burst, _ := strings.Cut(rest, ":")
	c, err1 := number(count)
	b, err2 := number(burst)
	per, known := periods[period]
	if err1 != nil || err2 != nil || !known || c < 1 || b < 1 || c > mostOfRate || b > mostOfRate {
		return Rate{}, fmt.Errorf("%q: %w", text, errRate)
	}
	return Rate{Count: c, Per: per, Burst: b}, nil
}

// half returns the rate of one key of an account, so that no key can use up the whole account's.
func (r Rate) half() Rate {
	return Rate{Count: (r.Count + 1) / 2, Per: r.Per, Burst: (r.Burst + 1) / 2}
}

// times returns the rate of so many clients.
func (r Rate) times(n int) Rate {
	return Rate{Count: r.Count * int64(n), Per: r.Per, Burst: r.Burst * int64(n)}
}

// limiter returns a full bucket.
func (r Rate) limiter() *rate.Limiter {
	return rate.NewLimiter(rate.Limit(float64(r.Count)/r.Per.Seconds()), int(r.Burst))
}

// until returns the time until so many tokens are left again.
func (r Rate) until(tokens float64) time.Duration {
	return time.Duration(tokens * float64(r.Per) / float64(r.Count))
}
