package publish

import (
	"encoding/json"
	"fmt"
)

// seal encrypts minted keys, so that only a caller who sends the same again can read them.
func (s *Service) seal(k sealed, keys Minted) ([]byte, error) {
	plain, err := json.Marshal([2]string{keys.Account.Reveal(), keys.Project.Reveal()})
	if err != nil {
		return nil, fmt.Errorf("seal keys: %w", err)
	}
	return s.vault.seal(k, plain)
}

// unseal is the way back. Another caller gets an error.
func (s *Service) unseal(k sealed, answer []byte) (Minted, error) {
	plain, err := s.vault.unseal(k, answer)
	if err != nil {
		return Minted{}, err
	}
	var keys [2]Secret
	err = json.Unmarshal(plain, &keys)
	return Minted{Account: keys[0], Project: keys[1]}, err
}

func (s *Service) keyed(purpose, text string) Digest { return s.vault.Keyed(purpose, text) }
