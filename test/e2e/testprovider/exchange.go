package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// exchange logs in with the token in a file, or in variableToken, and returns as whom. Its errors
// quote the token.
func exchange(endpoint, file string) (string, error) {
	token := os.Getenv(variableToken)
	if file != "" {
		content, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		token = string(content)
	}
	answer, err := http.Post(endpoint, "application/jwt", strings.NewReader(token))
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return "", err
	}
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the login with the token %s failed: %s", token, body)
	}
	return string(body), nil
}
