-- Records the storage keys of deleted uploads, whose files a sweep then deletes. Subtracts the sizes of the uploads from
-- the stored bytes of their organizations, which it locks in the order of their ids.
CREATE OR REPLACE FUNCTION public.forget_uploads()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into deleted_files (storage_key) select storage_key from gone on conflict do nothing;
  perform from organizations where id in (select organization_id from gone) order by id for no key update;
  update organizations set stored_bytes = stored_bytes - sums.bytes
  from (select organization_id, sum(size) as bytes from gone group by organization_id) as sums
  where organizations.id = sums.organization_id;
  return null;
end $function$;

CREATE TRIGGER uploads_deleted AFTER DELETE ON uploads REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_uploads();
