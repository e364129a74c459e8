export const DEPLOYMENT_TABS = ['overview', 'look', 'install', 'key'] as const

export type DeploymentTab = (typeof DEPLOYMENT_TABS)[number]

export const DEPLOYMENT_PERIODS = [7, 30, 90] as const

/** The number of days that a usage chart covers. */
export type Period = (typeof DEPLOYMENT_PERIODS)[number]

export interface ListSearch {
  /** The search by name. */
  q?: string
  /** The id of an agent. If present, the dialog for deploying this agent is open. */
  agent_id?: string
}

export interface DeploymentSearch {
  tab?: DeploymentTab
  days?: Period
}
