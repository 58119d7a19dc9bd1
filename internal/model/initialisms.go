package model

import "strings"

// initialisms are how words are written in kinds and Go identifiers, by the words in lower case.
// None of them is a word of another meaning. A change of this list changes no kind that exists: it
// keeps its name.
var initialisms = func() map[string]string {
	out := map[string]string{}
	for _, w := range strings.Fields(upper) {
		out[w] = strings.ToUpper(w)
	}
	for _, w := range strings.Fields(mixed) {
		out[strings.ToLower(w)] = w
	}
	return out
}()

// upper are initialisms that are written in capitals: of networks, of clouds and their services, of
// security, and of computing in general.
const upper = `
aaaa acl arp asn bfd bgp caa cidr cname dhcp dhcpv dkim dmarc dnat dnac dns dnssec dscp eip evpn fqdn ftp gre gslb
http https icmp icmpv igmp igw ike imap ip ipam ipfix ipsec ipv lacp lan lb ldap lldp mac mpls mqtt mtu mx naptr nat
nfs nic nlb ns nsg ntp ospf ospfv pbr pppoe ptr qos rsvp sctp sdn sdwan sftp sip slb smb smtp snat snmp snmpv
soa spf srv ssh sshfp ssid svcb tcp tftp tls tlsa ttl udp vip vlan vni vpc vpn vrf vrrp vtep vxlan waf wan wlan

aad acm aci acr ad adls ai aks alb ami apim arn asg aws cbr cce cdn cen cfw clb cmk cvm dcdn dds dli dlp dms dts dws
ebs ecr ecs efs eks elb emr eni evs fifo gcp gcs gcr gke hbr hsm kms lts mrs msk mq obs oci ocid ocr oke oss ots ram
rds rdns sae sam sas sfs sls smn smn sms sns sqs sts swr tgw tke vbr vdi vgw vm vmss vod vps

ca crl csr gpo hmac iam idp jks jwe jwk jwks jws jwt kv lds mfa msad mtls nacl ntlm ocsp oidc otp ou pem pgp pki rbac rsa
saml scep scim siem sso ssl sshca totp upn webauthn xss

api cicd cors cpu crd cri csi csv db dpu fpga gid gpu grpc gui hpc html id iot iso json lfs mssql nvme orm os osb pdf
pvc rest rpc sdk sku sla slo sql ssm tpu txt ui uid uri url uuid xml yaml`

// mixed are names that their owners write with capitals inside.
const mixed = `
AppSync BigQuery CloudFormation CloudFront CloudSQL CloudTrail CloudWatch CosmosDB DDoS DevOps DocumentDB DynamoDB
ElastiCache EventBridge GitHub GitLab GraphQL GuardDuty InfluxDB LinkedIn MariaDB MongoDB MySQL NoSQL OAuth OpenID
OpenSearch OpenVPN PagerDuty PostgreSQL PowerDNS QuickSight SageMaker VMware VNet VSphere VSwitch WireGuard`
