package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	api "sandlot/internal/client/client"
)

// takeProjectBack sends the form of the page of deleted projects, for an owner who is logged in.
func (c *client) takeProjectBack(s *shard, o *op) (a api.Answer, err error) {
	session, err := c.keys.session(s.key(o))
	if err != nil {
		return a, fmt.Errorf("log in: %w", err)
	}
	id := s.project(o.Account, o.Project).ID
	req, err := c.post("account/projects/"+id+"/take-back", "", "application/x-www-form-urlencoded", nil)
	if err != nil {
		return a, err
	}
	req.Header.Set("Cookie", "__Host-session="+session)
	_, header, err := c.do(req, http.StatusSeeOther)
	if to := header.Get("Location"); err == nil && !strings.Contains(to, id) {
		err = fmt.Errorf("%s leads to %s", o, to)
	}
	a.Status, a.ProjectID = http.StatusSeeOther, id
	return a, err
}

// session returns a session of the owner of the key with that hash. It logs in again each time, since a power cut may
// take a session that was recorded beside the program.
func (k *keyring) session(sum string) (token string, err error) {
	k.mu.Lock()
	if token = k.sessions[sum]; token == "" {
		token = rand.Text()
		k.sessions[sum] = token
	}
	k.mu.Unlock()
	return token, k.logIn(sum, token)
}

// logIn records a session beside the program, like a login, which would need a mail.
func (e *epoch) logIn(sum, token string) error {
	db, err := e.records("?_pragma=busy_timeout(60000)&_pragma=synchronous(FULL)")
	if err != nil {
		return err
	}
	bytes := "X'%s'"
	if e.place != nil {
		bytes = "decode('%s', 'hex')"
	}
	now := time.Now()
	const insert = "INSERT INTO sessions (hash, account, agent, created_at, proved_at, seen_at, expires_at) " +
		"SELECT %[1]s, account, '', %[2]d, %[2]d, %[2]d, %[3]d FROM keys WHERE hash = %[4]s ON CONFLICT (hash) DO NOTHING"
	until := now.Add(time.Hour).UnixMicro()
	_, err = db.Exec(fmt.Sprintf(insert, fmt.Sprintf(bytes, sumOf(token)), now.UnixMicro(), until, fmt.Sprintf(bytes, sum)))
	return errors.Join(err, db.Close())
}
