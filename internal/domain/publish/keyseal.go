package publish

import (
	"encoding/json"
	"fmt"

	"sandlot"
)

// sealKeys encrypts minted keys, so that only a caller who repeats the call can read them.
func sealKeys(v *sandlot.Vault, k sandlot.Seal, keys Minted) ([]byte, error) {
	plain, err := json.Marshal([2]string{keys.Account.Reveal(), keys.Project.Reveal()})
	if err != nil {
		return nil, fmt.Errorf("seal keys: %w", err)
	}
	return v.SealFor(k, plain)
}

// unsealKeys decrypts the keys. Another caller gets an error.
func unsealKeys(v *sandlot.Vault, k sandlot.Seal, answer []byte) (Minted, error) {
	plain, err := v.UnsealFor(k, answer)
	if err != nil {
		return Minted{}, err
	}
	var keys [2]sandlot.Secret
	err = json.Unmarshal(plain, &keys)
	return Minted{Account: keys[0], Project: keys[1]}, err
}
