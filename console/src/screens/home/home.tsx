import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Page } from '../../ui/page.tsx'
import { AskBox } from './ask-box.tsx'
import { FirstSteps, useSteps } from './first-steps.tsx'
import { RecentChats } from './recent-chats.tsx'
import { Agents, KnowledgeBases } from './shelves.tsx'
import { Spending } from './spending.tsx'

const t = translator('home')

const COLUMN = 'flex min-w-0 flex-col gap-6'

export function Home() {
  const { user, organization, may } = useHere()
  const { isLoading } = useSteps()
  return (
    <Page title={t('greeting', { name: user.first_name })}>
      {may('chats:write') && <AskBox />}
      <FirstSteps key={organization.id} />
      {/* Hidden until the height of the steps above is known, so that the lists do not jump. */}
      <div
        className={classNames(
          'grid items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]',
          isLoading && 'invisible',
        )}
      >
        <div className={COLUMN}>
          {may('chats:read') && <RecentChats />}
          {may('kb:read') && <KnowledgeBases />}
        </div>
        <div className={COLUMN}>
          {may('organization:read') && <Spending />}
          {may('agent:read') && <Agents />}
        </div>
      </div>
    </Page>
  )
}
