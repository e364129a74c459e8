-- Rejects the deletion of audit entries, except with their organization, or by their age (platform/audit).
CREATE OR REPLACE FUNCTION public.refuse_audit_deletion()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from organizations where id = old.organization_id and closed_at is null)
    or old.created_at < now() - nullif(current_setting('parley.audit_days', true), '')::integer * interval '1 day' then
    return old;
  end if;
  raise exception 'audit entries are never changed' using errcode = 'restrict_violation';
end $function$;

CREATE TRIGGER audit_entries_append_only BEFORE DELETE ON audit_entries FOR EACH ROW EXECUTE FUNCTION refuse_audit_deletion();
