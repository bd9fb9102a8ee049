{{- define "millrace.name" -}}
{{- /* Pods are this and a number, and a label has 63 characters. */ -}}
{{- $name := printf "%s-millrace" .Release.Name -}}
{{- if contains "millrace" .Release.Name }}{{ $name = .Release.Name }}{{ end -}}
{{- $name | trunc 52 | trimSuffix "-" -}}
{{- end }}

{{- define "millrace.selector" -}}
app.kubernetes.io/name: millrace
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "millrace.labels" -}}
{{ include "millrace.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "millrace.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- /* The pipeline's file, read. Everything else of it is for millrace validate. */ -}}
{{- define "millrace.pipeline" -}}
{{- $text := required "pipeline is empty: give the file, with --set-file pipeline=pipeline.yaml" .Values.pipeline -}}
{{- $read := fromYaml $text -}}
{{- if $read.Error }}{{ fail (printf "pipeline is no YAML: %s" $read.Error) }}{{ end -}}
{{- toJson $read -}}
{{- end }}

{{- /* The port that probes and Prometheus ask. */ -}}
{{- define "millrace.port" -}}
{{- $listen := dig "admin" "listen" "127.0.0.1:9090" (fromJson (include "millrace.pipeline" .)) | toString -}}
{{- if not (regexMatch "^0\\.0\\.0\\.0:[1-9][0-9]*$" $listen) -}}
{{- fail (printf "admin.listen of the pipeline is %s: probes reach it only at 0.0.0.0 and a fixed port, such as 0.0.0.0:9090" $listen) -}}
{{- end -}}
{{- trimPrefix "0.0.0.0:" $listen -}}
{{- end }}

{{- /* Refuses what would go wrong only later. */ -}}
{{- define "millrace.check" -}}
{{- $read := fromJson (include "millrace.pipeline" .) -}}
{{- $timeout := dig "drain" "timeout" "25s" $read | toString -}}
{{- $seconds := 0 -}}
{{- if regexMatch "^[0-9]+ms$" $timeout -}}{{- $seconds = div (trimSuffix "ms" $timeout | int) 1000 -}}
{{- else if regexMatch "^[0-9]+s$" $timeout -}}{{- $seconds = trimSuffix "s" $timeout | int -}}
{{- else if regexMatch "^[0-9]+m$" $timeout -}}{{- $seconds = mul (trimSuffix "m" $timeout | int) 60 -}}
{{- else if regexMatch "^[0-9]+h$" $timeout -}}{{- $seconds = mul (trimSuffix "h" $timeout | int) 3600 -}}
{{- end -}}
{{- if lt (int .Values.terminationGracePeriodSeconds) (add $seconds 5 | int) -}}
{{- fail (printf "terminationGracePeriodSeconds is %d and drain.timeout of the pipeline %s: a pod that is killed while it drains says nothing of what it left; give it 5 s more than the drain" (int .Values.terminationGracePeriodSeconds) $timeout) -}}
{{- end -}}
{{- $properties := dig "source" "kafka" "properties" dict $read | default dict -}}
{{- $id := index $properties "group.instance.id" | default "" -}}
{{- if and .Values.staticMembership (ne $id "${POD_NAME}") -}}
{{- fail "staticMembership is on: write  properties: { group.instance.id: \"${POD_NAME}\" }  under source.kafka of the pipeline, or set staticMembership to false" -}}
{{- end -}}
{{- if and $id (not (contains "${POD_NAME}" $id)) -}}
{{- fail (printf "group.instance.id is %s for every pod: each fences the other; use ${POD_NAME}" $id) -}}
{{- end -}}
{{- end }}
