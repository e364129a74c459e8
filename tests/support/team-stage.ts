import type { Page } from 'playwright-core'
import type { Person } from './client.ts'
import { type ConsoleStage, startConsoleStage } from './console-stage.ts'
import { type Team, teamOf } from './team.ts'

/** The console, with an organization that has an owner. */
export interface TeamStage {
  stage: ConsoleStage
  owner: Person
  /** The organization Analytical Engines. */
  team: Team
  /** Opens a page of the console in that organization, as its owner unless `person` is given. */
  open(path: string, person?: Person): Promise<Page>
}

export async function startTeamStage(): Promise<TeamStage> {
  const stage = await startConsoleStage()
  const owner = await stage.server.signUp()
  const team = await teamOf(stage.server, owner, 'Analytical Engines')
  return { stage, owner, team, open: (path, person = owner) => stage.open(team.at(path), person) }
}
