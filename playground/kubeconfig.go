package playground

import (
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/landbridge-io/landbridge/playground/internal/pki"
)

// writeKubeconfig writes a kubeconfig for the administrator to path. It holds
// the certificates themselves, so that it can be copied and outlives moves of
// the data directory.
func writeKubeconfig(path, host string, certs pki.Files) error {
	ca, err := os.ReadFile(certs.CA)
	if err != nil {
		return err
	}
	cert, err := os.ReadFile(certs.AdminCert)
	if err != nil {
		return err
	}
	key, err := os.ReadFile(certs.AdminKey)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	const name = "playground"
	err = clientcmd.WriteToFile(clientcmdapi.Config{
		CurrentContext: name,
		Clusters:       map[string]*clientcmdapi.Cluster{name: {Server: host, CertificateAuthorityData: ca}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{name: {ClientCertificateData: cert, ClientKeyData: key}},
		Contexts:       map[string]*clientcmdapi.Context{name: {Cluster: name, AuthInfo: name, Namespace: "default"}},
	}, path)
	if err != nil {
		return fmt.Errorf("writing the kubeconfig: %w", err)
	}
	return nil
}
