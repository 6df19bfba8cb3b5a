import AlarmModel
