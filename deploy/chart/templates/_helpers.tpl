{{- define "landbridge.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 }}
app.kubernetes.io/version: {{ .Chart.AppVersion | replace "+" "_" | trunc 63 | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "landbridge.selector" . }}
{{- end }}

{{- define "landbridge.selector" -}}
app.kubernetes.io/name: landbridge
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "landbridge.uiSelector" -}}
app.kubernetes.io/name: landbridge-ui
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "landbridge.uiLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 }}
app.kubernetes.io/version: {{ .Chart.AppVersion | replace "+" "_" | trunc 63 | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "landbridge.uiSelector" . }}
{{- end }}

{{- define "landbridge.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ if .openTofu }}-opentofu{{ end }}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "landbridge.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "landbridge.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "landbridge.metricsSecret" -}}
{{- with .Values.metrics.certificates -}}
{{- .secretName | default (ternary "landbridge-metrics" "" (not (empty .issuerRef))) -}}
{{- end -}}
{{- end }}
