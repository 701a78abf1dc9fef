package postgres

// CheckURL refuses a URL that Open would refuse without a connection. Its error is without the password.
func CheckURL(url string) error {
	_, err := parse(url)
	return err
}
