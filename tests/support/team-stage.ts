import type { Page } from 'playwright-core'
import type { Person } from './client.ts'
import { type ConsoleStage, startConsoleStage } from './console-stage.ts'
import { type Team, teamOf } from './team.ts'

/** The console, with an organization that somebody has founded. */
export interface TeamStage {
  stage: ConsoleStage
  owner: Person
  /** Analytical Engines. */
  team: Team
  /** A page of the console at that organization; without a person as its owner sees it. */
  open(path: string, person?: Person): Promise<Page>
}

export async function startTeamStage(): Promise<TeamStage> {
  const stage = await startConsoleStage()
  const owner = await stage.server.signUp()
  const team = await teamOf(stage.server, owner, 'Analytical Engines')
  return { stage, owner, team, open: (path, person = owner) => stage.open(team.at(path), person) }
}
