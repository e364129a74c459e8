import type { Tool } from '@parley/client/schemas'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Ellipsis, FileUp, Plus, Tags, Wrench } from 'lucide-react'
import { type ChangeEvent, type ComponentProps, type RefObject, useRef, useState } from 'react'
import { useAllPages } from '../../api/all-pages.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchedList } from '../../ui/searched-list.tsx'
import { Empty } from '../../ui/states.tsx'
import { TableSkeleton } from '../../ui/table.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { CategoriesDialog } from './categories-dialog.tsx'
import { NewToolDialog } from './new-tool-dialog.tsx'
import type { ToolOwner } from './search-params.ts'
import { readToolFile, type ToolFile } from './tool-file.ts'
import { ToolTable } from './tool-table.tsx'
import { useCategories, useTools } from './use-tools.ts'

const t = translator('tools')

export function Tools() {
  const { may } = useHere()
  const search = useSearch({ from: '/app/tools' })
  const { q = '' } = search
  const tools = useTools(q)
  useAllPages(tools, search.category_id !== undefined || search.from !== undefined)
  const navigate = useNavigate()
  const setCreating = (is: boolean) =>
    void navigate({
      from: '/tools',
      search: (before) => ({ ...before, create: is || undefined }),
      replace: !is,
    })
  const [file, setFile] = useState<ToolFile | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const [isManaging, setManaging] = useState(false)
  const mayWrite = may('tool:write')
  const add = mayWrite && (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      {t('create.title')}
    </Button>
  )
  return (
    <Page
      title={t('title')}
      description={t('list.description')}
      actions={
        <>
          <Menu trigger={<IconButton icon={Ellipsis} label={t('list.more')} />}>
            <MenuItem icon={Tags} onSelect={() => setManaging(true)}>
              {t('list.manageCategories')}
            </MenuItem>
            {mayWrite && (
              <MenuItem icon={FileUp} onSelect={() => input.current?.click()}>
                {t('import')}
              </MenuItem>
            )}
          </Menu>
          {(q !== '' || tools.data?.length !== 0) && add}
        </>
      }
    >
      <SearchedList
        query={tools}
        q={q}
        label={t('list.search')}
        filters={<Filters />}
        skeleton={<TableSkeleton columns={5} />}
        empty={
          <Empty icon={Wrench} title={t('list.emptyTitle')} action={add}>
            {t('list.empty')}
          </Empty>
        }
      >
        {(all) => <ToolTable tools={all.filter((tool) => matches(tool, search))} />}
      </SearchedList>
      {mayWrite && (search.create || file !== null) && (
        <NewToolDialog
          file={file}
          onClose={() => {
            setCreating(false)
            setFile(null)
          }}
        />
      )}
      <FileInput input={input} onFile={setFile} />
      <CategoriesDialog open={isManaging} onClose={() => setManaging(false)} />
    </Page>
  )
}

interface Filter {
  category_id?: string
  from?: ToolOwner
}

function Filters() {
  const { organization } = useHere()
  const { category_id = '', from = '' } = useSearch({ from: '/app/tools' })
  const navigate = useNavigate()
  const categories = useCategories()
  const filter = (part: Filter) =>
    void navigate({ from: '/tools', to: '.', search: (before) => ({ ...before, ...part }), replace: true })
  return (
    <>
      <FilterSelect
        label={t('columns.category')}
        value={category_id}
        onChange={({ target }) => filter({ category_id: target.value || undefined })}
      >
        <option value="">{t('list.allCategories')}</option>
        {categories.data?.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </FilterSelect>
      <FilterSelect
        label={t('list.owner')}
        value={from}
        onChange={({ target }) => filter({ from: (target.value || undefined) as ToolOwner | undefined })}
      >
        <option value="">{t('list.allOwners')}</option>
        <option value="own">{organization.name}</option>
        <option value="public">{t('list.otherOrganizations')}</option>
      </FilterSelect>
    </>
  )
}

/** A select without a visible label: its first option says what it filters. */
const FilterSelect = ({ label, ...rest }: ComponentProps<typeof SelectField>) => (
  <div className="min-w-0 flex-1 sm:max-w-48">
    <SelectField label={<span className="sr-only">{label}</span>} {...rest} />
  </div>
)

function matches(tool: Tool, { category_id, from }: Filter): boolean {
  // The API returns no category for tools of other organizations.
  const isOwn = tool.category_id !== null
  if (from !== undefined && isOwn !== (from === 'own')) return false
  return category_id === undefined || tool.category_id === category_id
}

interface FileInputProps {
  input: RefObject<HTMLInputElement | null>
  onFile: (file: ToolFile) => void
}

function FileInput({ input, onFile }: FileInputProps) {
  const notify = useNotify()
  const read = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [chosen] = target.files ?? []
    if (!chosen) return
    try {
      onFile(await readToolFile(chosen))
    } catch (error) {
      notify(error as Error)
    }
    target.value = ''
  }
  return (
    <input
      ref={input}
      type="file"
      accept="application/json,.json"
      aria-label={t('file.input')}
      className="hidden"
      onChange={(event) => void read(event)}
    />
  )
}
