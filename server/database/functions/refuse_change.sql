-- Rejects changes of ledger entries. They are deleted only with their organization.
CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE'
    and not exists (select from organizations where id = old.organization_id and closed_at is null) then
    return old;
  end if;
  raise exception '% are never changed', replace(tg_table_name, '_', ' ') using errcode = 'restrict_violation';
end $function$;

CREATE TRIGGER ledger_entries_append_only BEFORE DELETE OR UPDATE ON ledger_entries FOR EACH ROW EXECUTE FUNCTION refuse_change();
