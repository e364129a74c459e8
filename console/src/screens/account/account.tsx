import { translator } from '../../messages/index.ts'
import { Page } from '../../ui/page.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { ExportData } from './export-data.tsx'
import { Password } from './password.tsx'
import { Profile } from './profile.tsx'
import { SecondFactors } from './second-factors.tsx'
import { Sessions } from './sessions.tsx'

const t = translator('account')

/** The user's own settings, which apply in all organizations. */
export const Account = () => (
  <Page title={t('title')} description={t('description')}>
    <Profile />
    <Password />
    <SecondFactors />
    <Sessions />
    <ExportData />
    <DeleteAccount />
  </Page>
)
