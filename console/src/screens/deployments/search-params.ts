export const DEPLOYMENT_TABS = ['overview', 'look', 'install', 'key'] as const

export type DeploymentTab = (typeof DEPLOYMENT_TABS)[number]

export const DEPLOYMENT_PERIODS = [7, 30, 90] as const

/** In days. */
export type Period = (typeof DEPLOYMENT_PERIODS)[number]

export interface ListSearch {
  /** Opens the dialog that creates a deployment of this agent. */
  agent_id?: string
}

export interface DeploymentSearch {
  tab?: DeploymentTab
  days?: Period
}
