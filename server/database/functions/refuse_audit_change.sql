-- Rejects changes of audit entries, except when an erasure removes personal data.
CREATE OR REPLACE FUNCTION public.refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  person uuid := nullif(current_setting('parley.leaving', true), '')::uuid;
  address text := current_setting('parley.address', true);
  is_own boolean := old.actor_id = person and old.record_type in ('api_key', 'mcp_instance');
begin
  if exists (select from users where id = person and leaving is not null)
    and (new.id, new.organization_id, new.actor_id, new.api_key_id, new.action, new.record_type, new.record_id,
      new.request_id, new.created_at) is not distinct from (old.id, old.organization_id, old.actor_id,
      old.api_key_id, old.action, old.record_type, old.record_id, old.request_id, old.created_at)
    and new.ip_address = (case when old.actor_id = person then '(removed)' else old.ip_address end)
    and new.before is not distinct from (case when not is_own then without_address(old.before, address) end)
    and new.after is not distinct from (case when not is_own then without_address(old.after, address) end) then
    return new;
  end if;
  raise exception 'audit entries are never changed' using errcode = 'restrict_violation';
end $function$;

CREATE TRIGGER audit_entries_unchanged BEFORE UPDATE ON audit_entries FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
