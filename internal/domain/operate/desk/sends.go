package desk

import (
	"context"

	"sandlot/internal/format/check"
)

// mostSends is the most hosts of a case.
const mostSends = 100

// sends returns the hosts to which the pages and scripts of a case send or lead. It reads as much as the check does.
func (s *Service) sends(ctx context.Context, c Case) ([]string, error) {
	left := int64(check.SampleAll)
	seen, hosts := map[string]bool{}, []string(nil)
	for _, f := range c.Files {
		if left <= 0 || !check.Reads(f.Name) {
			continue
		}
		text, err := s.start(ctx, f, min(left, check.Sample))
		if err != nil {
			return nil, err
		}
		left -= int64(len(text))
		for _, host := range check.Hosts(text, mostSends) {
			if !seen[host] && len(hosts) < mostSends {
				seen[host], hosts = true, append(hosts, host)
			}
		}
	}
	return hosts, nil
}
