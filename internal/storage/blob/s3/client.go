package s3

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"
)

// limits bound all waits. Every wait has an end.
type limits struct {
	connect   time.Duration // TCP, and TLS once more
	firstByte time.Duration // from the end of a request to the beginning of its answer
	stall     time.Duration // without a byte, in either direction
	call      time.Duration // a call with all its retries, besides the time for its bytes
	rate      int64         // bytes per second that a store must reach at least
	settle    time.Duration // between writing the marker and reading it back
	attempts  int           // of one call
	pause     time.Duration // the mean before the first retry; it doubles up to longestPause
}

var usual = limits{
	connect: 5 * time.Second, firstByte: 20 * time.Second, stall: 10 * time.Second, call: time.Minute, rate: 128 << 10,
	settle: 2 * time.Second, attempts: 6, pause: 100 * time.Millisecond,
}

const (
	longestPause = 3 * time.Second
	// retryTokens is the budget of retries: each takes five, and a call that needs none gives one back. So an
	// unreachable store gets one request per call instead of six.
	retryTokens = 500
	idleConns   = 64
)

var errStalled = errors.New("no byte came in time")

// size returns the time limit of a call with that many bytes.
func (l limits) size(n int64) time.Duration {
	return l.call + time.Duration(n/l.rate)*time.Second
}

// newStore returns a Store that has sent no request yet.
func newStore(ctx context.Context, c Config, a Access, opts Options, l limits) (*Store, error) {
	s := &Store{transport: newTransport(l), config: c, opts: opts, limits: l, now: time.Now}
	loaded := aws.Config{HTTPClient: s.transport}
	if a.Key != "" {
		loaded.Credentials = credentials.NewStaticCredentialsProvider(a.Key, a.Secret, a.Session)
	} else {
		var err error
		if loaded, err = config.LoadDefaultConfig(ctx, config.WithHTTPClient(s.transport)); err != nil {
			return nil, err
		}
	}
	loaded.Region = cmp.Or(c.Region, a.Region, loaded.Region)
	if loaded.Region == "" && c.Endpoint == "" {
		return nil, errors.New("no region: add region=... to the URL of the bucket, or set AWS_REGION")
	}
	loaded.Region = cmp.Or(loaded.Region, "us-east-1") // accepted by stores without regions
	s.keys = loaded.Credentials
	s.client = sdk.NewFromConfig(loaded, func(o *sdk.Options) {
		if c.Endpoint != "" {
			o.BaseEndpoint = &c.Endpoint
		}
		o.UsePathStyle = c.PathStyle
		// Many stores refuse the trailers that the SDK would add. Stored bytes are compared with their SHA-256 whenever
		// they are read, and the signature of a request covers its body.
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
		o.DisableLogOutputChecksumValidationSkipped = true
		o.ContinueHeaderThresholdBytes = -1
		o.HTTPClient = s.transport
		o.Retryer = newRetryer(l)
	})
	return s, nil
}

func newRetryer(l limits) aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = l.attempts
		o.RateLimiter = ratelimit.NewTokenRateLimit(retryTokens)
		o.Backoff = retry.BackoffDelayerFunc(func(attempt int, _ error) (time.Duration, error) {
			most := min(2*l.pause<<min(attempt, 10), longestPause)
			return rand.N(most + 1), nil
		})
	})
}

func newTransport(l limits) *awshttp.BuildableClient {
	dialer := net.Dialer{Timeout: l.connect, KeepAlive: 15 * time.Second}
	return awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
		t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return conn{c, l.stall}, nil
		}
		t.TLSHandshakeTimeout = l.connect
		t.ResponseHeaderTimeout = l.firstByte
		t.MaxIdleConnsPerHost = idleConns
		t.IdleConnTimeout = time.Minute
		// One call per connection: with HTTP/2 one that stalls would hold up the others.
		t.ForceAttemptHTTP2 = false
		t.Protocols = new(http.Protocols)
		t.Protocols.SetHTTP1(true)
	})
}

// conn fails a write that makes no progress.
type conn struct {
	net.Conn
	stall time.Duration
}

func (c conn) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.stall)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}
