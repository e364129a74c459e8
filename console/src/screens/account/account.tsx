import { Page } from '../../ui/page.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { ExportData } from './export-data.tsx'
import { Password } from './password.tsx'
import { Profile } from './profile.tsx'
import { SecondFactors } from './second-factors.tsx'
import { Sessions } from './sessions.tsx'

/** Settings of the user, the same in all organizations. */
export const Account = () => (
  <Page title="Your account" description="The same in all organizations.">
    <Profile />
    <Password />
    <SecondFactors />
    <Sessions />
    <ExportData />
    <DeleteAccount />
  </Page>
)
