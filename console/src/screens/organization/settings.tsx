import { useHere } from '../../shell/organization.tsx'
import { DownloadButton } from '../../ui/download-button.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { EndSection } from './end-section.tsx'
import { FeaturesSection } from './features-section.tsx'
import { ImportSection } from './import-section.tsx'
import { NameSection } from './name-section.tsx'
import { SecondFactorSection } from './second-factor-section.tsx'

export function Settings() {
  const { may, organization } = useHere()
  return (
    <Page title="Settings" description="The organization as a whole.">
      <NameSection />
      {organization.user_role.role_name === 'owner' && <SecondFactorSection />}
      <FeaturesSection />
      {may('organization:admin') && <ExportSection />}
      <ImportSection />
      <EndSection />
    </Page>
  )
}

function ExportSection() {
  const { organization } = useHere()
  return (
    <Section
      title="Export"
      description="Everything that the organization has, as a zip of JSON Lines and files, without keys and other secrets."
      actions={
        <DownloadButton
          path="/api/org/export"
          query={{ org_id: organization.id }}
          name={`${organization.slug}.zip`}
        >
          Download export
        </DownloadButton>
      }
    >
      <p className="text-sm text-muted">
        It holds the chats, files and instructions of all members, and the audit notes who has made it. A
        large one takes a while: stay on this page until it is saved.
      </p>
    </Section>
  )
}
