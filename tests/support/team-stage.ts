import type { Page } from 'playwright-core'
import type { Person } from './client.ts'
import { type ConsoleStage, startConsoleStage } from './console-stage.ts'
import { type Team, teamOf } from './team.ts'

/** The console, and an organization with its owner. */
export interface TeamStage {
  stage: ConsoleStage
  owner: Person
  /** The organization "Analytical Engines". */
  team: Team
  /** Opens a page of the console in the organization, as `person` or by default as its owner. */
  open(path: string, person?: Person): Promise<Page>
}

export async function startTeamStage(): Promise<TeamStage> {
  const stage = await startConsoleStage()
  const owner = await stage.server.signUp()
  const team = await teamOf(stage.server, owner, 'Analytical Engines')
  return { stage, owner, team, open: (path, person = owner) => stage.open(team.at(path), person) }
}
