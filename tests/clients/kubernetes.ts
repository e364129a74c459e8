import { join } from 'node:path'

/** The JSON schemas of Kubernetes and of the Prometheus Operator, which their packages contain as compiled functions. */
export const KUBERNETES_SCHEMAS: Record<string, Validate> = {
  Deployment: await load('kubernetes-models', 'IoK8sApiAppsV1Deployment'),
  HorizontalPodAutoscaler: await load('kubernetes-models', 'IoK8sApiAutoscalingV2HorizontalPodAutoscaler'),
  Ingress: await load('kubernetes-models', 'IoK8sApiNetworkingV1Ingress'),
  Job: await load('kubernetes-models', 'IoK8sApiBatchV1Job'),
  PodDisruptionBudget: await load('kubernetes-models', 'IoK8sApiPolicyV1PodDisruptionBudget'),
  Service: await load('kubernetes-models', 'IoK8sApiCoreV1Service'),
  ServiceMonitor: await load(
    '@kubernetes-models/prometheus-operator',
    'ComGithubPrometheusOperatorPrometheusOperatorPkgApisMonitoringV1ServiceMonitor',
  ),
}

export interface Validate {
  (data: unknown): boolean
  /** The errors of the last call. */
  errors?: { instancePath: string; keyword: string; params: unknown }[] | null
}

/** Loads a schema by its path, because one of the packages does not export its schemas. */
async function load(name: string, schema: string): Promise<Validate> {
  const path = join(import.meta.dirname, 'node_modules', name, '_schemas', `${schema}.js`)
  const { validate }: { validate: Validate } = await import(path)
  return validate
}
